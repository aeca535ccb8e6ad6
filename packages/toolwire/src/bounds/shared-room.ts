/** The most that one owner takes, and all owners together. */
export type RoomLimits = { readonly each: number; readonly all: number }

/** Room that owners share. Something on its own always has room, for its owner as for all. An owner that is undefined may take all. */
export function sharedRoom<Owner = string>({ each, all }: RoomLimits) {
  let taken = 0
  const takenBy = new Map<Owner, number>()
  const change = (owner: Owner | undefined, amount: number): void => {
    taken += amount
    if (owner === undefined) return
    const own = (takenBy.get(owner) ?? 0) + amount
    if (own > 0) takenBy.set(owner, own)
    else takenBy.delete(owner)
  }
  return {
    hasRoom(owner: Owner | undefined, amount: number): boolean {
      const own = owner === undefined ? 0 : (takenBy.get(owner) ?? 0)
      return (taken === 0 || taken + amount <= all) && (own === 0 || own + amount <= each)
    },
    /** Takes room, and returns the function that frees it, to be called once. The amount is a whole number, so that sums leave no rest. */
    take(owner: Owner | undefined, amount: number): () => void {
      change(owner, amount)
      return () => change(owner, -amount)
    },
  }
}
