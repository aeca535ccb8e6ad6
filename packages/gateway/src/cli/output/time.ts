import { usageProblem } from '../command.js'

const units: { readonly [unit: string]: number } = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Parses a duration such as `90s`, `30m`, `1h` or `7d` into milliseconds. */
export function parseDuration(text: string, option: string): number {
  const { 1: amount, 2: unit } = /^(\d{1,6})\s*([smhd])$/.exec(text.trim()) ?? []
  const ms = Number(amount) * (units[unit ?? ''] ?? Number.NaN)
  if (!(ms > 0)) throw usageProblem(`${option} is a time such as 30m, 2h or 7d`)
  return ms
}

/** Parses a date, a date and time, or a duration before now. */
export function parseTime(text: string, option: string, now: number = Date.now()): number {
  if (/^\d{1,6}\s*[smhd]$/.test(text.trim())) return now - parseDuration(text, option)
  // A date without a time means the start of that day in local time, not in UTC.
  const moment = Date.parse(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00` : text)
  if (Number.isNaN(moment)) throw usageProblem(`${option} is a date such as 2026-01-31, or how long ago, such as 2h`)
  return moment
}

/** In UTC, as the Z says. */
export const formatTime = (ms: number): string => `${new Date(ms).toISOString().replace('T', ' ').slice(0, 19)}Z`

/** Formats a duration in a suitable unit. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 120) return `${seconds} s`
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} days`
}
