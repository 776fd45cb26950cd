/** Makes a store that outlives the view which needs it first. What a store derives would otherwise end with that view. */
export function outliving<Store>(make: () => Store): Store {
  let made: Store | undefined;
  $effect.root(() => {
    made = make();
  });
  return made as Store;
}
