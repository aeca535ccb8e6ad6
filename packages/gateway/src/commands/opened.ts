/** Shows a page of this machine in the browser. False where there is none to be started. */
export async function opened(url: string): Promise<boolean> {
  const { openPage } = await import('toolwire/client/oauth')
  try {
    await openPage(new URL(url))
    return true
  } catch {
    return false // the caller says what to do
  }
}
