// Set up for files that share a process: what the server side of one reports is not told by a reporter that another has left behind.
import { beforeEach } from 'vitest'
import { faults, noteFaults } from './reported-faults.js'

noteFaults()
// The peer reads no more than the id of a fault, so a test that fails prints what was reported under it.
beforeEach(({ onTestFailed }) => {
  onTestFailed(() => {
    for (const { id, where, fault } of faults) console.error(`reported as ${id} in ${where}:`, fault)
  })
})
