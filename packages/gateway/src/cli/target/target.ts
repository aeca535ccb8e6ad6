import { refusedPortWarnings } from '../../config/own-address.js'
import { machineOf } from '../../config/paths.js'
import { portFrom } from '../../config/settings/overrides.js'
import { substituteVariables } from '../../config/substitute-variables.js'
import { type CommandError, type CommandInput, optionText, optionTexts, unreachableError, usageProblem } from '../command.js'

/** The subject of a command: a running gateway, a server at an address, or a program to start. */
export type CommandTarget =
  | { readonly kind: 'gateway'; readonly url: string }
  | { readonly kind: 'address'; readonly url: string }
  | { readonly kind: 'command'; readonly command: string; readonly args: readonly string[] }

const usualPort = 4180

export function commandTargetOf(address: string | undefined, input: CommandInput): CommandTarget {
  const [command, ...args] = input.command
  if (address !== undefined && command !== undefined) throw usageProblem('Name an address or a command after --, not both')
  if (command !== undefined) return { kind: 'command', command, args }
  if (address === undefined) return { kind: 'gateway', url: gatewayUrl(input) }
  if (!isAddress(address)) throw usageProblem(`${address} is not an address. Write https://…, or put a command after --`)
  return { kind: 'address', url: address }
}

export const isAddress = (word: string): boolean => /^https?:\/\//i.test(word) && URL.canParse(word)

/** The gateway's URL, without the path of its endpoint. */
export function gatewayUrl(input: Pick<CommandInput, 'options' | 'env'>): string {
  const { TOOLWIRE_URL, TOOLWIRE_PORT } = input.env
  const given = optionText(input, 'gateway') ?? (TOOLWIRE_URL || undefined)
  if (given === undefined) return localUrl(TOOLWIRE_PORT, 'TOOLWIRE_PORT')
  if (!isAddress(given))
    throw usageProblem(`${given} is not the address of a gateway. Write an address such as http://127.0.0.1:${usualPort}`)
  return given.replace(/\/+$/, '').replace(/\/mcp$/, '')
}

/** A gateway on this machine. */
export const localUrl = (port: string | undefined, name: string): string =>
  `http://127.0.0.1:${portFrom(port, name) ?? usualPort}`

export function targetName(place: CommandTarget): string {
  if (place.kind === 'command') return [place.command, ...place.args].join(' ')
  return place.kind === 'gateway' ? `the gateway at ${place.url}` : place.url
}

export function headersIn(input: CommandInput): { [name: string]: string } {
  const entries = optionTexts(input, 'header').map((line) => {
    const { 1: name, 2: value } = /^([!#$%&'*+.^_`|~\w-]+):\s*(.*)$/.exec(line) ?? []
    if (name === undefined || value === undefined)
      throw usageProblem(`The header "${line.split(/[:=]/)[0]}" is not valid. Write "Name: value"`)
    return [name, value]
  })
  return Object.fromEntries(entries)
}

/** The headers to send now: `${NAME}` stands for a variable, so that a secret need not be among the words of the command. */
export function filledHeadersIn(input: CommandInput): { [name: string]: string } {
  const machine = machineOf(input)
  const scope = { ...machine, workspace: machine.cwd }
  const filled = Object.entries(headersIn(input)).map(([name, value]) => [name, substituteVariables(value, scope)])
  return Object.fromEntries(filled)
}

export function noGateway(url: string, cause: unknown): CommandError {
  const [refused] = refusedPortWarnings({ port: Number(new URL(url).port), console: false })
  const advice = refused ?? 'Start one with toolwire up, or name another with --gateway'
  return unreachableError(`No gateway answers at ${url}. ${advice}`, cause)
}

/** The config that was named, as an operand or by --config; undefined if none was. */
export function configPath(input: Pick<CommandInput, 'operands' | 'options'>): string | undefined {
  const [operand] = input.operands
  const option = optionText(input, 'config')
  if (operand !== undefined && option !== undefined && operand !== option)
    throw usageProblem(`Two configs are named: ${operand} and ${option}. Name one, as an operand or with --config`)
  return operand ?? option
}
