// Checks each second with a write whether PostgreSQL answers, so that a server that refuses writes is noticed as well.
import type { StoreFailure } from '../store-failure.js'
import { whileServing } from './failures.js'
import { withTimeLimit } from './time-limit.js'

/** Together with the pause, less than the five seconds after which a caller learns of the failure. */
const beatMs = 3_500
const everyMs = 1_000

export type Pulse = ReturnType<typeof databasePulse>

type Beating = {
  beat(): Promise<void>
  /** Called when the database answers again. */
  recovered(): Promise<void>
  /** The only report of trouble between two beats. */
  onChange(trouble: StoreFailure | undefined): void
}

export function databasePulse({ beat, recovered, onChange }: Beating) {
  let trouble: StoreFailure | undefined
  let timer: NodeJS.Timeout | undefined
  let underWay: Promise<void> | undefined
  let isStopped = false

  function setTrouble(now: StoreFailure | undefined): void {
    const isChange = (trouble === undefined) !== (now === undefined)
    trouble = now
    if (isChange) onChange(now)
  }

  async function checkOnce(): Promise<void> {
    try {
      await withTimeLimit(beatMs, beat())
      if (trouble) await withTimeLimit(beatMs, recovered())
      setTrouble(undefined)
    } catch (thrown) {
      setTrouble(whileServing(thrown))
    }
  }

  function look(): Promise<void> {
    clearTimeout(timer)
    underWay ??= checkOnce().finally(() => {
      underWay = undefined
      if (!isStopped) timer = setTimeout(() => void look(), everyMs).unref()
    })
    return underWay
  }

  return {
    get trouble(): StoreFailure | undefined {
      return trouble
    },
    /** Checks now: at the start, and after a failure. */
    look,
    async stop(): Promise<void> {
      isStopped = true
      clearTimeout(timer)
      await underWay
    },
  }
}
