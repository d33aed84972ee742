// A search box on the pages of the rules. Without this script they can be read all the same.

const sections = [...document.querySelectorAll<HTMLElement>(".book section[id]")];
const german = navigator.language.startsWith("de");

if (sections.length > 5) {
  const box = Object.assign(document.createElement("input"), { type: "search", id: "search", placeholder: german ? "Suchen  /" : "Search  /" });
  const label = Object.assign(document.createElement("label"), { htmlFor: "search", className: "unseen", textContent: german ? "Suchen" : "Search" });
  const found = Object.assign(document.createElement("p"), { className: "faint found" });
  found.setAttribute("role", "status");
  const holder = Object.assign(document.createElement("div"), { className: "search no-print" });
  holder.append(label, box, found);
  document.querySelector("h1")!.after(holder);
  const texts = sections.map((section) => section.textContent!.toLowerCase());
  const headings = [...document.querySelectorAll<HTMLElement>(".book > h2")];
  const search = () => {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    sections.forEach((section, index) => {
      section.hidden = !words.every((word) => texts[index].includes(word));
      if (!section.hidden) count += 1;
    });
    for (const heading of headings) {
      let next = heading.nextElementSibling as HTMLElement | null;
      let any = false;
      for (; next && next.tagName === "SECTION"; next = next.nextElementSibling as HTMLElement | null) any ||= !next.hidden;
      heading.hidden = words.length > 0 && !any;
    }
    found.textContent = words.length ? `${count} / ${sections.length}` : "";
    document.querySelector<HTMLElement>(".book > ul")?.toggleAttribute("hidden", words.length > 0);
  };
  box.addEventListener("input", search);
  addEventListener("hashchange", () => {
    box.value = "";
    search();
    document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
  });
  addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target === box) return;
    event.preventDefault();
    box.focus();
  });
}
