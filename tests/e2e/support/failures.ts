/** Keeps a picture of each page that is open when a test fails. Traces would double the time of every test. */
import { join } from 'node:path';

import { afterEach } from 'vitest';

import { out } from './machine';
import { browsers } from './page';

afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return;
  const name = task.name.replace(/[^\w]+/g, '-').slice(0, 80);
  const contexts = [...browsers].flatMap((browser) => browser.contexts());
  for (const [at, page] of contexts.flatMap((context) => context.pages()).entries()) {
    const path = join(out, `failed-${name}-${at}.png`);
    // A page that hangs shows nothing; one of a busy machine takes its time.
    await page.screenshot({ path, timeout: 20_000 }).catch(() => undefined);
  }
});
