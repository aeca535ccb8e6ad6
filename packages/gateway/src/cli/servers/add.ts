import { existsSync } from 'node:fs'
import { dirname, isAbsolute, resolve } from 'node:path'
import type { JsonObject } from 'toolwire'
import { pointerSegments } from '../../config/documents/document.js'
import type { ConfigText } from '../../config/editing/config-text.js'
import { serverIdOf } from '../../config/index.js'
import { commandRisks } from '../../config/servers/command-risks.js'
import { isObject } from '../../json/is-object.js'
import { type CommandInput, isOptionOn, optionTexts, type RunCommand, usageProblem } from '../command.js'
import { headersIn, isAddress } from '../target/target.js'
import { configToEdit, showConfigEdit, writeConfigEdit } from './edit-config-file.js'

export const run: RunCommand = async (input, terminal) => {
  const [name = '', url] = input.operands
  const file = await configToEdit(input, { create: true })
  const entry = url === undefined ? childOf(input, file) : remoteOf(url, input)
  const id = serverIdOf(name, '')
  const known = file.servers.find((one) => serverIdOf(one.name, one.at) === id)
  if (known && !isOptionOn(input, 'replace'))
    throw usageProblem(`The server ${id} is in ${file.path} already. Replace it with --replace, or choose another name`)
  const { servers, mcpServers } = file.value
  const key = isObject(servers) && !isObject(mcpServers) ? 'servers' : 'mcpServers'
  file.set(known ? pointerSegments(known.at) : [key, name], entry)
  const edited = await writeConfigEdit(file, input)
  const [command, ...args] = input.command
  const risks = command === undefined ? [] : commandRisks({ command, args })
  const warnings = [...edited.warnings, ...risks.map((risk) => `Its command ${risk}. Review it before you use it`)]
  showConfigEdit({ ...edited, warnings }, terminal, `The server ${id} is`, { server: id })
}

function childOf(input: CommandInput, file: ConfigText): JsonObject {
  const [command, ...args] = input.command
  if (command === undefined) throw usageProblem(noCommand)
  if (optionTexts(input, 'header').length > 0)
    throw usageProblem('--header is for servers with an address. Use --env to pass variables to a command')
  if (isOptionOn(input, 'sse')) throw usageProblem('--sse is for servers with an address. Omit it for a command')
  const env = Object.fromEntries(optionTexts(input, 'env').map(variableIn))
  const given = { ...(args.length > 0 && { args }), ...(Object.keys(env).length > 0 && { env }) }
  return { command, ...given, ...(needsFolder(input, file) && { cwd: input.cwd }) }
}

const noCommand = 'The server has no command or address. Use toolwire add <name> -- <command>, or toolwire add <name> https://…'

/** Words such as `.` and `server.js` are relative to the current folder, but the config may be elsewhere. */
function needsFolder({ command, cwd }: CommandInput, { path }: ConfigText): boolean {
  if (dirname(path) === cwd) return false
  return command.some((word) => !isAbsolute(word) && !word.startsWith('-') && existsSync(resolve(cwd, word)))
}

function remoteOf(url: string, input: CommandInput): JsonObject {
  if (input.command.length > 0) throw usageProblem('Name an address or a command after --, not both')
  if (!isAddress(url)) throw usageProblem(`${url} is not an address. Write https://…, or put a command after --`)
  if (optionTexts(input, 'env').length > 0)
    throw usageProblem('--env is for commands. Use --header to send headers to a server with an address')
  const headers = headersIn(input)
  return { type: isOptionOn(input, 'sse') ? 'sse' : 'http', url, ...(Object.keys(headers).length > 0 && { headers }) }
}

/** `NAME=value`, or `NAME` to refer to the gateway's own variable, which keeps the secret out of the file. */
function variableIn(word: string): [string, string] {
  const { 1: name, 2: value } = /^([A-Za-z_][A-Za-z0-9_]*)(?:=(.*))?$/s.exec(word) ?? []
  if (name === undefined) throw usageProblem("The variable is not valid. Write NAME=value, or NAME to pass on the gateway's own")
  return [name, value ?? `\${${name}}`]
}
