// Local storage of this page. If the browser forbids it, values are kept in memory until a reload.
const inMemory = new Map<string, string>()

export function readStored(name: string): string | undefined {
  try {
    return localStorage.getItem(name) ?? undefined
  } catch {
    return inMemory.get(name)
  }
}

export function store(name: string, value: string): void {
  try {
    localStorage.setItem(name, value)
  } catch {
    inMemory.set(name, value)
  }
}

export function removeStored(name: string): void {
  inMemory.delete(name)
  try {
    localStorage.removeItem(name)
  } catch {
    // It was never stored.
  }
}
