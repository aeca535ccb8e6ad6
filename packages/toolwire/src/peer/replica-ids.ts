// Ids that one of several replicas of a server gives out begin with its name, so that the others know where they lead.

/** An id as this replica gives it out. */
export const withReplica = (replica: string | undefined, id: string): string => (replica === undefined ? id : `${replica}.${id}`)

/** What was given out under the name of a replica, this one or another. */
export const withoutReplica = (id: string): string => id.slice(id.indexOf('.') + 1)

/** The replica that has given out this id; undefined where none has, or it was this one. */
export function otherReplicaOf(id: unknown, self: string | undefined): string | undefined {
  if (self === undefined || typeof id !== 'string') return undefined
  const end = id.indexOf('.')
  if (end < 1 || end > longestName) return undefined
  const name = id.slice(0, end)
  return name === self ? undefined : name
}

const longestName = 64

/** Whether ids can begin with it. */
export const isReplicaName = (name: string): boolean => /^[A-Za-z0-9_-]{1,64}$/.test(name)
