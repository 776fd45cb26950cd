// A modal dialog that closes at once with Escape. The browser itself would hide the dialog first and send
// the event `close` a task later; a key pressed in between would be lost.

/** For `use:modal={close}` on a dialog that exists only while it is open. */
export function modal(dialog: HTMLDialogElement, close: () => void): { destroy: () => void } {
  const closed = () => dialog.isConnected && close();
  const keydown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    event.preventDefault();
    dialog.removeEventListener('close', closed);
    // This returns the focus to where it was.
    dialog.close();
    close();
  };
  dialog.addEventListener('close', closed);
  dialog.addEventListener('keydown', keydown);
  dialog.showModal();
  return { destroy: () => dialog.removeEventListener('close', closed) };
}
