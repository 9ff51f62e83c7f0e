import { onDestroy } from 'svelte';

import { Lifetime } from '../../base/lifetime';

/** A lifetime that ends when the component that calls this is destroyed. */
export function componentLifetime(): Lifetime {
  const lifetime = new Lifetime();
  onDestroy(() => lifetime.end());
  return lifetime;
}
