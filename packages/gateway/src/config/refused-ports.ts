// Fetch of browsers, Node and other runtimes refuses some ports for every address: https://fetch.spec.whatwg.org/#port-blocking

/** Those above 1023, where a gateway may listen without rights of its own. */
export const refusedPorts: ReadonlySet<number> = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
])

type Ports = { readonly port: number; readonly console: { readonly port?: number } | false }

export function refusedPortWarnings({ port, console }: Ports): string[] {
  const used = [port, ...(console && console.port !== undefined ? [console.port] : [])]
  return used
    .filter((one) => refusedPorts.has(one))
    .map(
      (one) =>
        `Port ${one} is one that browsers and many programs refuse to connect to, the toolwire command too. Choose another`,
    )
}
