// What this browser keeps for this page. Where it forbids that, the page remembers it until it is reloaded.
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
