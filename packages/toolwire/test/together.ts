// Setup file for tests that share a process. It replaces any fault reporter that an earlier file left behind.
import { beforeEach } from 'vitest'
import { faults, noteFaults } from './reported-faults.js'

noteFaults()
// The peer receives only the id of a fault, so a failed test prints the details.
beforeEach(({ onTestFailed }) => {
  onTestFailed(() => {
    for (const { id, where, fault } of faults) console.error(`reported as ${id} in ${where}:`, fault)
  })
})
