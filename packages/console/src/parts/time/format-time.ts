// Times and durations as text, in the user's time zone and number format.

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })

/** Can a Date hold it? Untrusted times may be any number. */
export const isValidTime = (at: number): boolean => Math.abs(at) <= 8.64e15

/** The time of day, preceded by the date if it is another day. */
export function formatTime(at: number, now: number): string {
  if (!isValidTime(at)) return 'at no time'
  const [then, today] = [day.format(at), day.format(now)]
  return then === today ? clock.format(at) : `${then}, ${clock.format(at)}`
}

/** The full date and time, with the time zone. */
export const formatFullTime = (at: number): string => (isValidTime(at) ? exact.format(at) : 'at no time')

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** `just now`, `5 minutes ago`, `in 2 hours`. */
export function formatAgo(at: number, now: number): string {
  const seconds = Math.round((now - at) / 1_000)
  const size = Math.abs(seconds)
  if (size < 5) return 'just now'
  const [unit, length] = units.find(([, long]) => size >= long) ?? (['second', 1] as const)
  const count = Math.floor(size / length)
  const words = `${count} ${unit}${count === 1 ? '' : 's'}`
  return seconds < 0 ? `in ${words}` : `${words} ago`
}

/** A duration: `340 ms`, `2.4 s`, `1:05`, `2:10:00`. */
export function formatDuration(exactly: number): string {
  const ms = Math.max(0, Math.round(exactly))
  if (ms < 1_000) return `${ms} ms`
  if (ms < 10_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`
  if (ms < 60_000) return `${Math.floor(ms / 1_000)} s`
  return formatClock(ms)
}

/** A duration in hours, minutes and seconds: `0:09`, `1:05`. */
export function formatClock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  const two = (count: number) => String(count).padStart(2, '0')
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60]
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`
}
