declare module 'cloudflare:workers' {
  export const env: { readonly NOTES: import('./app.js').Store }
}
