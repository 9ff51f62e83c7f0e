import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

// The engine that `npm run dev` talks to in a browser: a running `timberline serve`.
const engine = process.env.TIMBERLINE_API ?? 'http://127.0.0.1:7531';

export default defineConfig({
  plugins: [svelte()],
  clearScreen: false,
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // The web views of the supported systems are at least this new, so light-dark() and
    // color-mix() stay as they are written instead of being expanded.
    target: ['chrome123', 'safari17.5', 'firefox128'],
    // Both hosts forbid inline scripts and need none of the polyfill.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
  },
  server: {
    host: '127.0.0.1',
    port: 1420,
    strictPort: true,
    watch: { ignored: ['**/target/**', '**/dist/**', '**/*.case/**'] },
    proxy: {
      '/api': {
        target: engine,
        changeOrigin: true,
        // The engine refuses other origins than its own; in development the page has Vite's.
        configure(proxy) {
          proxy.on('proxyReq', (request) => request.setHeader('origin', engine));
        },
      },
    },
  },
});
