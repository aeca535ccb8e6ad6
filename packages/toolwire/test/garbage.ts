// Runs the garbage collector on request.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

// Contexts that are created after this flag have a global `gc`.
setFlagsFromString('--expose-gc')
const gc: () => void = runInNewContext('gc')

/** The first collection frees the memory of buffers in the background; the second waits for that. */
export function collect(): void {
  gc()
  gc()
}

/** Collects several times, so that finalizers run and their garbage is collected, too. */
export async function rid(): Promise<void> {
  for (let time = 0; time < 3; time++) {
    collect()
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
