// Loaded before a program that is watched: begins and ends the watch when its parent says so.
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
