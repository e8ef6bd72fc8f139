/** What has happened to the requests that named themselves in `x-case`, by that name. Tests in other processes read it by a route. */
export const events = new Map<string, string[]>()

export function note(request: { headers: Record<string, any> }, event: string): void {
  noteOf(String(request.headers['x-case'] ?? ''), event)
}

export function noteOf(name: string, event: string): void {
  if (name !== '') events.set(name, [...(events.get(name) ?? []), event])
}
