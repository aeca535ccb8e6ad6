import { existsSync } from 'node:fs'
import { dirname, isAbsolute, resolve } from 'node:path'
import type { JsonObject } from 'toolwire'
import { setInJson } from '../../config/hosts/edit-json.js'
import { idOf } from '../../config/index.js'
import { findServers } from '../../config/servers/find-servers.js'
import { risksOf } from '../../config/servers/risky.js'
import { misused } from '../exit-codes.js'
import { isObject } from '../json.js'
import { type Input, isOn, type Run, textsOf } from '../spec.js'
import { isAddress } from '../target/place.js'
import { type ConfigFile, configToEdit, edit, showEdit } from './edit-config.js'

export const run: Run = async (input, terminal) => {
  const [name = '', url] = input.operands
  const file = await configToEdit(input, { create: true })
  const entry = url === undefined ? childOf(input, file) : remoteOf(url, input)
  const id = idOf(name, '')
  const known = findServers(file.value).find((one) => idOf(one.name, one.at) === id)
  if (known && !isOn(input, 'replace'))
    throw misused(
      `There is a server ${id} in ${file.path} already. Put this one in its place by --replace, or choose another name`,
    )
  const key = isObject(file.value.servers) && !isObject(file.value.mcpServers) ? 'servers' : 'mcpServers'
  const place = known ? known.at.split('/').slice(1, -1).concat(known.name) : [key, name]
  const edited = await edit(file, setInJson(file.text, place, entry), input)
  const risks = typeof entry.command === 'string' ? risksOf({ command: entry.command, args: [...input.command.slice(1)] }) : []
  const warnings = [...edited.warnings, ...risks.map((risk) => `Its command ${risk}: look at it before you use it`)]
  showEdit({ ...edited, warnings }, terminal, { what: `The server ${id} is`, more: { server: id } })
  return undefined
}

function childOf(input: Input, file: ConfigFile): JsonObject {
  const [command, ...args] = input.command
  if (command === undefined)
    throw misused('Say how to reach the server: toolwire add <name> -- <command>, or toolwire add <name> https://…')
  if (textsOf(input, 'header').length > 0)
    throw misused('--header is for servers with an address; a command is given variables by --env')
  const env = Object.fromEntries(textsOf(input, 'env').map(variableIn))
  return {
    command,
    ...(args.length > 0 && { args }),
    ...(Object.keys(env).length > 0 && { env }),
    ...(needsFolder(input, file) && { cwd: input.cwd }),
  }
}

/** Words such as `.` and `server.js` are read from the folder where they were typed, whatever folder the config is in. */
function needsFolder({ command, cwd }: Input, { path }: ConfigFile): boolean {
  if (dirname(path) === cwd) return false
  return command.some((word) => !isAbsolute(word) && !word.startsWith('-') && existsSync(resolve(cwd, word)))
}

function remoteOf(url: string, input: Input): JsonObject {
  if (input.command.length > 0) throw misused('Name an address or a command after --, not both')
  if (!isAddress(url)) throw misused(`${url} is no address. Write https://…, or put a command after --`)
  if (textsOf(input, 'env').length > 0)
    throw misused('--env is for servers that are commands; one with an address is sent headers by --header')
  const headers = Object.fromEntries(textsOf(input, 'header').map(headerIn))
  return { type: isOn(input, 'sse') ? 'sse' : 'http', url, ...(Object.keys(headers).length > 0 && { headers }) }
}

/** `NAME=value`, or `NAME` for the one that the gateway itself is given: then the file holds no secret. */
function variableIn(word: string): [string, string] {
  const { 1: name, 2: value } = /^([A-Za-z_][A-Za-z0-9_]*)(?:=(.*))?$/s.exec(word) ?? []
  if (name === undefined) throw misused('A variable is written NAME=value, or NAME for the one of the gateway')
  return [name, value ?? `\${${name}}`]
}

function headerIn(line: string): [string, string] {
  const { 1: name, 2: value } = /^([!#$%&'*+.^_`|~\w-]+):\s*(.*)$/.exec(line) ?? []
  if (name === undefined || value === undefined) throw misused('A header is written "Name: value"')
  return [name, value]
}
