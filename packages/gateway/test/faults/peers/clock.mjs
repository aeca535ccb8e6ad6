// Loaded before a program: shifts its system clock by the milliseconds in the file TEST_CLOCK_OFFSET.
import { readFileSync } from 'node:fs'

const file = process.env.TEST_CLOCK_OFFSET
const RealDate = Date
let offset = 0
let lookedAt = Number.NEGATIVE_INFINITY

function off() {
  if (performance.now() - lookedAt < 2) return offset
  lookedAt = performance.now()
  const written = readFileSync(file, 'utf8')
  // The file is empty for a moment while it is written.
  if (written !== '') offset = Number(written)
  return offset
}

globalThis.Date = class extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(RealDate.now() + off())
    else super(...args)
  }
  static now() {
    return RealDate.now() + off()
  }
}
