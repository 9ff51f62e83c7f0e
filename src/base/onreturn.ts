import type { Lifetime } from './lifetime';

/** Runs an action whenever a person comes back to the page, who may have changed something in another one. */
export function onReturn(lifetime: Lifetime, action: () => void): void {
  if (typeof window === 'undefined') return;
  window.addEventListener('focus', action);
  lifetime.onEnd(() => window.removeEventListener('focus', action));
}
