/** The client that the command has written beside the page. Here it stands one folder above, where other samples use it too. */
export * from '../client.js'
