// Loaded before the program under attack: begins and ends the measurement when the parent process says so.
import { LoopWatch } from './loop-watch.js'

let watch: LoopWatch | undefined

process.on('message', (word) => {
  if (word === 'begin') {
    watch?.end()
    watch = new LoopWatch()
    process.send?.({ begun: true })
  }
  if (word === 'end') process.send?.({ reading: watch?.end() })
})
