import { defineConfig } from 'vite';

/** The page, built to dist/web, where the server reads it: addresses are relative, so that it also works behind a path. */
export default defineConfig({
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    // Inlined data would have to be allowed by the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
  },
});
