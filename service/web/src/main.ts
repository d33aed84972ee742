import { chooseLanguage } from "./i18n.ts";

await chooseLanguage();
const { start } = await import("./page.ts");
await start();
if ("serviceWorker" in navigator && location.protocol !== "file:") navigator.serviceWorker.register("sw.js").catch(() => undefined);
