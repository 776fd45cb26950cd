// A dialog over the page, gone at once with Escape. Left to the browser, the dialog vanishes first and its
// event `close` comes a task later; a key pressed in between would find a dialog that is neither open nor
// closed, and be lost.

/** As `use:modal={close}` on a dialog that is there only while it is open. */
export function modal(dialog: HTMLDialogElement, close: () => void): { destroy: () => void } {
  const closed = () => dialog.isConnected && close();
  const keydown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    event.preventDefault();
    dialog.removeEventListener('close', closed);
    // Gives the focus back to where it was.
    dialog.close();
    close();
  };
  dialog.addEventListener('close', closed);
  dialog.addEventListener('keydown', keydown);
  dialog.showModal();
  return { destroy: () => dialog.removeEventListener('close', closed) };
}
