import { chooseLanguage } from "./i18n.ts";
import { start } from "./page.ts";

await chooseLanguage();
await start();
if ("serviceWorker" in navigator) navigator.serviceWorker.register("sw.js").catch(() => undefined);
