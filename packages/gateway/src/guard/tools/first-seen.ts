import type { ReadyTool } from 'toolwire/guard'

import type { Store } from '../../store/store.js'

/** As many tools as a server may list, and some that it listed before. */
const mostEach = 12_000

/** Remembers when each tool was listed first. Of a server that lists new names all the time, only the latest are kept. */
export function firstSeenRecorder(marks: Store['marks'], most = mostEach): (tool: ReadyTool) => void {
  const noted = new Map<string, Set<string>>()
  const of = (server: string): Set<string> => {
    const tools = noted.get(server) ?? new Set()
    noted.set(server, tools)
    return tools
  }
  const oldestFirst = marks.list('seen').toSorted((one, other) => one.at - other.at)
  for (const { server, tool } of oldestFirst) of(server).add(tool)
  // The store's `trouble` reports failures of the disk.
  const drop = (server: string, tool: string) => void marks.drop('seen', { server, tool }).catch(() => undefined)
  return ({ name, definition: { server = '' } }) => {
    const tools = of(server)
    const isKnown = tools.delete(name)
    tools.add(name)
    if (isKnown) return
    // If the write fails, the next registration of the tool tries again.
    marks.set('seen', { server, tool: name }, { at: Date.now() }).catch(() => tools.delete(name))
    for (const tool of tools) {
      if (tools.size <= most) break
      tools.delete(tool)
      drop(server, tool)
    }
  }
}
