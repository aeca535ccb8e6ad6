import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

// Built into the gateway, which serves it. Nothing inline and nothing from elsewhere: the page's policy forbids both.
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: fileURLToPath(new URL('../gateway/dist/console', import.meta.url)),
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
  },
})
