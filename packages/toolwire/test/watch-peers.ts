// Setup file for every test. Many files share a process, so it undoes global changes after each file.
import fc from 'fast-check'
import { afterAll, afterEach, beforeEach, vi } from 'vitest'
import { runAfter, runBefore } from './each-test.js'
import { watchLoop } from './loop-watch.js'
import { howMany, soaking } from './soak.js'

fc.configureGlobal({ numRuns: howMany(15, 100) })

const withPeers = [
  /\/toolwire\/test\/(?:auth|client|conversations|hostile|interop|server|threats|transports)\//,
  /\/gateway\/test\/(?:access|api|approvals|catalog|faults|guard|http|lifecycle|logins|matrix|monitoring|real|relay|stdio|upstreams)\//,
]

/** Thousands of simultaneous calls in one process block the event loop by themselves, so these files are not watched. */
const withCrowds = /\/test\/(?:server\/rate-limits|guard\/limits)\.test\.ts$/

if (soaking)
  beforeEach(({ task }) => {
    const { filepath } = task.file
    if (withPeers.some((folder) => folder.test(filepath)) && !withCrowds.test(filepath)) watchLoop()
  })

beforeEach(runBefore)
afterEach(runAfter)

afterAll(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})
