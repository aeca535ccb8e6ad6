import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const source = (path: string) => fileURLToPath(new URL(`./packages/toolwire/src/${path}`, import.meta.url))

// Tests read the sources, so a failing line is the line someone wrote; what spawns a process uses the build.
export default defineConfig({
  resolve: {
    alias: [
      { find: /^toolwire$/, replacement: source('index.ts') },
      { find: /^toolwire\/(schema|testing|client|client\/oauth|llm|auth)$/, replacement: source('$1/index.ts') },
      { find: /^toolwire\/(guard|redis|rules|observe|stdio|node)$/, replacement: source('$1.ts') },
    ],
  },
  test: {
    include: [
      'packages/*/test/**/*.test.ts',
      'conformance/test/**/*.test.ts',
      'docs/**/*.test.ts',
      'examples/**/*.test.ts',
      'bench/test/**/*.test.ts',
    ],
    setupFiles: [fileURLToPath(new URL('./packages/toolwire/test/watch-peers.ts', import.meta.url))],
    // Many tests wait for other processes; a third worker uses the time.
    maxWorkers: 3,
    // Machines that many share are slow at times.
    testTimeout: process.env.CI ? 90_000 : 20_000,
    hookTimeout: process.env.CI ? 120_000 : 60_000,
    expect: { poll: { timeout: process.env.CI ? 15_000 : 5_000 } },
  },
})
