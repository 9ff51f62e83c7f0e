import { untrack } from 'svelte';

/**
 * An attachment that begins something when its element appears, and ends it when the element goes. Svelte runs an
 * attachment again when state that it read changes, which would cancel what was requested and request it again; so what
 * `begin` reads is not followed.
 */
export function whileShown(begin: () => () => void): () => () => void {
  return () => untrack(begin);
}
