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
  /** Called when the database answers again. It may take longer than many beats, which go on meanwhile. */
  recovered(): Promise<void>
  /** The only report of trouble between two beats. */
  onChange(trouble: StoreFailure | undefined): void
}

export function databasePulse({ beat, recovered, onChange }: Beating) {
  let trouble: StoreFailure | undefined
  let timer: NodeJS.Timeout | undefined
  let underWay: Promise<void> | undefined
  let isRecovering = false
  let isBeating = true
  let isStopped = false

  function setTrouble(now: StoreFailure | undefined): void {
    const isChange = (trouble === undefined) !== (now === undefined)
    trouble = now
    if (isChange) onChange(now)
  }

  async function checkOnce(): Promise<void> {
    try {
      await withTimeLimit(beatMs, beat())
      isBeating = true
      if (trouble) recover()
    } catch (thrown) {
      isBeating = false
      setTrouble(whileServing(thrown))
    }
  }

  /** Without a time limit, because one that is given up goes on, and would share the connections with the next one. */
  function recover(): void {
    if (isRecovering) return
    isRecovering = true
    void recoverOnce().finally(() => {
      isRecovering = false
    })
  }

  async function recoverOnce(): Promise<void> {
    try {
      await recovered()
      if (isBeating) setTrouble(undefined)
    } catch (thrown) {
      if (!isStopped) setTrouble(whileServing(thrown))
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
    /** Recovers although no beat has failed, because changes may have been missed. */
    recover,
    async stop(): Promise<void> {
      isStopped = true
      clearTimeout(timer)
      await underWay
    },
  }
}
