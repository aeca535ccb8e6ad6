import { type CommandInput, usageProblem } from '../command.js'

export function versionNumber({ operands: [said] }: CommandInput): number | undefined {
  if (said === undefined) return undefined
  if (/^[1-9]\d{0,8}$/.test(said)) return Number(said)
  throw usageProblem(`${said} is not a version number. toolwire config history lists the numbers`)
}
