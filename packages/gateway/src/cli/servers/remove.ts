import { jsonPointer, pointerSegments } from '../../config/documents/document.js'
import { removeFromJson } from '../../config/editing/edit-json.js'
import { serverIdOf } from '../../config/index.js'
import { findServers, type WrittenEntry } from '../../config/servers/find-servers.js'
import { isObject } from '../../json/is-object.js'
import { usageProblem } from '../command-error.js'
import type { RunCommand } from '../command-spec.js'
import { nearestNames } from '../target/nearest-names.js'
import { type ConfigFile, configToEdit, showConfigEdit, writeConfigEdit } from './edit-config-file.js'

export const run: RunCommand = async (input, terminal) => {
  const [name = ''] = input.operands
  const file = await configToEdit(input)
  const found = serverNamed(name, file)
  const places = [pointerSegments(found.at), ...settingsOf(found, file)]
  const edited = await writeConfigEdit(
    file,
    places.reduce((text, place) => removeFromJson(text, place), file.text),
    input,
  )
  const id = serverIdOf(found.name, found.at)
  showConfigEdit(edited, terminal, { what: `The server ${id} is no longer`, more: { server: id } })
  return undefined
}

function serverNamed(name: string, { value, path }: ConfigFile): WrittenEntry {
  const all = findServers(value)
  const found = all.find((one) => one.name === name) ?? all.find((one) => serverIdOf(one.name, one.at) === name)
  if (found) return found
  const names = all.map((one) => one.name)
  const like = nearestNames(name, names)
  const hint = like.length > 0 ? `Did you mean ${like.join(' or ')}?` : `Its servers: ${names.join(', ') || 'none'}`
  throw usageProblem(`There is no server "${name}" in ${path}. ${hint}`)
}

/** Settings for a server that is not there would refuse the config. */
function settingsOf({ name, at }: WrittenEntry, { value: { toolwire } }: ConfigFile): string[][] {
  const servers = isObject(toolwire) ? toolwire.servers : undefined
  if (!isObject(servers)) return []
  return [...new Set([name, serverIdOf(name, at)])]
    .filter((one) => Object.hasOwn(servers, one))
    .map((one) => pointerSegments(jsonPointer('toolwire', 'servers', one)))
}
