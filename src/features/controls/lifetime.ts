import { onDestroy } from 'svelte';

import type { Lifetime } from '../../base/lifetime';
import { getCase } from '../../state/workbench/context';

/** A lifetime that ends when the component that calls this is destroyed, and follows its case. */
export function componentLifetime(): Lifetime {
  const lifetime = getCase().child();
  onDestroy(() => lifetime.end());
  return lifetime;
}
