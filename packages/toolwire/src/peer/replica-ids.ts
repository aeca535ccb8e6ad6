// Ids that a replica of a server gives out begin with its name, so that the other replicas can route messages to it.

export const withReplica = (replica: string | undefined, id: string): string => (replica === undefined ? id : `${replica}.${id}`)

export const withoutReplica = (id: string): string => id.slice(id.indexOf('.') + 1)

/** The other replica that gave out this id; undefined if this replica did, or the id names none. */
export function otherReplicaOf(id: unknown, self: string | undefined): string | undefined {
  if (self === undefined || typeof id !== 'string') return undefined
  const end = id.indexOf('.')
  if (end < 1 || end > longestName) return undefined
  const name = id.slice(0, end)
  return name === self ? undefined : name
}

const longestName = 64

/** True if the name can be used as the prefix of ids. */
export const isReplicaName = (name: string): boolean => /^[A-Za-z0-9_-]{1,64}$/.test(name)
