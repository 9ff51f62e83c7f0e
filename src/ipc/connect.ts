import { connectBrowser, offerToken, takeToken, takeWindowKey, tokenOfOtherTab } from './browser';
import type { Client } from './client';

/** Chooses the host once, at start. The desktop part is loaded only if it is needed. */
export async function connect(): Promise<Client> {
  if ('__TAURI_INTERNALS__' in window) return (await import('./desktop')).connectDesktop();
  const windowKey = takeWindowKey();
  const token = takeToken() || (await tokenOfOtherTab());
  if (token !== '') offerToken(token);
  return connectBrowser(token, windowKey);
}
