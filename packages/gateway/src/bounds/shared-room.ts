/**
 * Room that owners share: one owner leaves half of it to others. Something on its own always has room, for all of the room as for its
 * owner's half. An owner that is undefined may take all.
 */
export function sharedRoom(room: number) {
  let taken = 0
  const takenBy = new Map<string, number>()
  const change = (owner: string | undefined, amount: number): void => {
    taken += amount
    if (owner === undefined) return
    const own = (takenBy.get(owner) ?? 0) + amount
    if (own > 0) takenBy.set(owner, own)
    else takenBy.delete(owner)
  }
  return {
    hasRoom(owner: string | undefined, amount: number): boolean {
      const own = owner === undefined ? 0 : (takenBy.get(owner) ?? 0)
      return (taken === 0 || taken + amount <= room) && (own === 0 || own + amount <= room / 2)
    },
    /** Takes room, and returns the function that frees it. The amount is a whole number, because sums of others leave a rest behind. */
    take(owner: string | undefined, amount: number): () => void {
      change(owner, amount)
      return () => change(owner, -amount)
    },
  }
}
