/** What both pages have in common: they write what they found, or their error, for the test. */
export async function show(run: () => Promise<object>): Promise<void> {
  const text = await run().then(JSON.stringify, String)
  document.body.append(Object.assign(document.createElement('output'), { textContent: text }))
}

export async function toHex(picture: Blob): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', await picture.arrayBuffer())
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
