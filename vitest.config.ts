import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  plugins: [svelte()],
  // Without this condition Svelte resolves to its server build, which cannot mount.
  resolve: { conditions: ['browser'] },
  test: {
    include: ['src/**/*.test.ts', 'scripts/*.test.mjs'],
    // Tests read the colours; any other stylesheet is empty.
    css: { include: /tokens\.css/ },
  },
});
