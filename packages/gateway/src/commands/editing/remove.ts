import { pathOf, pointer } from '../../config/documents/document.js'
import { removeFromJson } from '../../config/hosts/edit-json.js'
import { idOf } from '../../config/index.js'
import { findServers, type Written } from '../../config/servers/find-servers.js'
import { misused } from '../exit-codes.js'
import { isObject } from '../json.js'
import { nearest } from '../nearest.js'
import type { Run } from '../spec.js'
import { type ConfigFile, configToEdit, edit, showEdit } from './edit-config.js'

export const run: Run = async (input, terminal) => {
  const [name = ''] = input.operands
  const file = await configToEdit(input)
  const found = serverNamed(name, file)
  const places = [pathOf(found.at), ...settingsOf(found, file)]
  const edited = await edit(
    file,
    places.reduce((text, place) => removeFromJson(text, place), file.text),
    input,
  )
  const id = idOf(found.name, found.at)
  showEdit(edited, terminal, { what: `The server ${id} is no longer`, more: { server: id } })
  return undefined
}

function serverNamed(name: string, { value, path }: ConfigFile): Written {
  const all = findServers(value)
  const found = all.find((one) => one.name === name) ?? all.find((one) => idOf(one.name, one.at) === name)
  if (found) return found
  const names = all.map((one) => one.name)
  const like = nearest(name, names)
  const hint = like.length > 0 ? `Did you mean ${like.join(' or ')}?` : `There are: ${names.join(', ') || 'none'}`
  throw misused(`There is no server "${name}" in ${path}. ${hint}`)
}

/** Settings for a server that is not there would refuse the config. */
function settingsOf({ name, at }: Written, { value: { toolwire } }: ConfigFile): string[][] {
  const servers = isObject(toolwire) ? toolwire.servers : undefined
  if (!isObject(servers)) return []
  return [...new Set([name, idOf(name, at)])]
    .filter((one) => Object.hasOwn(servers, one))
    .map((one) => pathOf(pointer('toolwire', 'servers', one)))
}
