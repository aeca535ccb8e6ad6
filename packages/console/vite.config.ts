import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

// The gateway serves what is built here. Nothing inline and nothing from elsewhere: the page's policy forbids both.
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: fileURLToPath(new URL('./dist', import.meta.url)),
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    // Together the styles of all views are smaller, and a view does not wait for its own.
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    sourcemap: false,
  },
})
