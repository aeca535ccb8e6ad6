import type { CallContext } from '../../tools/tool.js'

type Clock = NonNullable<CallContext['clock']>

/**
 * Lets several clocks run for one call: each that is set hears what the ones before it hear. A clock further in would otherwise
 * take the place of ours, and ours would go on while a person is being asked.
 */
export function shareClock(context: CallContext): void {
  const clocks: Clock[] = context.clock ? [context.clock] : []
  const all: Clock = {
    heard(what) {
      for (const clock of clocks) clock.heard(what)
    },
  }
  Object.defineProperty(context, 'clock', {
    configurable: true,
    enumerable: true,
    get: () => (clocks.length > 0 ? all : undefined),
    set: (clock: CallContext['clock']) => {
      if (clock) clocks.push(clock)
    },
  })
}
