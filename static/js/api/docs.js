// The API's documentation: Swagger UI on the site's own schema.
const place = document.getElementById("docs");
window.SwaggerUIBundle({
  url: place.dataset.schema,
  domNode: place,
  deepLinking: true,
  persistAuthorization: false,
  requestInterceptor: (request) => {
    const token = document.cookie.match(/(?:^|; )csrftoken=([^;]+)/);
    if (token && new URL(request.url, location.href).origin === location.origin) {
      request.headers["X-CSRFToken"] = token[1];
    }
    return request;
  },
});
