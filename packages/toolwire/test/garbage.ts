// Collects garbage when a test wants it.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

// The flag makes a collector to be had by new contexts.
setFlagsFromString('--expose-gc')
const gc: () => void = runInNewContext('gc')

/** The first leaves the memory of buffers to be freed in the background; the second waits for that. */
export function collect(): void {
  gc()
  gc()
}

/** Leaves time for what is told of garbage, and for what becomes garbage by that. */
export async function rid(): Promise<void> {
  for (let time = 0; time < 3; time++) {
    collect()
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
