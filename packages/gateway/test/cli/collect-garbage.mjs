// Loaded before the program: collects garbage repeatedly, and reports when much of it must be gone.
import { writeSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc')
let times = 0
setInterval(() => {
  // The program must be waiting first, which takes longer than a few rounds.
  if (++times % 5 === 0) gc()
  if (times % 20 === 0) writeSync(2, 'garbage was collected\r\n')
}, 100).unref()
