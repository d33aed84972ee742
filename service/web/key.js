// The key of this tab, for services that ask for one. Asks until a request is let through.
const KEY = "tablecall.key";
export const keyOfTab = () => sessionStorage.getItem(KEY);
export const withKey = (headers = {}) => (keyOfTab() && !headers.authorization && !headers.Authorization ? { ...headers, authorization: `Bearer ${keyOfTab()}` } : headers);

/** Resolves once the service answers. Says whether it asked for a key. */
export async function admitted() {
  for (let refused = false; ; refused = true) {
    const { status } = await fetch("version", { headers: withKey() }).catch(() => ({ status: 0 }));
    if (status !== 401) return refused || keyOfTab() !== null;
    await ask(refused);
  }
}

function ask(refused) {
  return new Promise((resolve) => {
    const dialog = document.createElement("dialog");
    dialog.className = "key-dialog";
    dialog.setAttribute("aria-labelledby", "key-title");
    const said = refused ? "This key was refused. Check it and enter it again." : "Enter the key that you were given. It stays in this tab.";
    dialog.innerHTML = `<form method="dialog"><h1 id="key-title">This service asks for a key</h1><p>${said}</p>
      <label for="key-field">API key</label><input id="key-field" type="password" autocomplete="off" required>
      <button>Use this key</button></form>`;
    dialog.addEventListener("submit", () => {
      sessionStorage.setItem(KEY, dialog.querySelector("input").value);
      dialog.remove();
      resolve();
    });
    dialog.addEventListener("cancel", (event) => event.preventDefault());
    document.body.append(dialog);
    dialog.showModal();
  });
}
