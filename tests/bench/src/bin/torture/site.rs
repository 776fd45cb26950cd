//! A small site of the real form, from which `plyfold publish` makes a folder.

use std::path::Path;

use crate::scene::Files;

/// The files with their paths. The digests of the service worker are those of the others.
const FILES: [(&str, &str); 6] = [
    (
        "site/index.html",
        "<!doctype html>
<html lang=\"en\">
  <head>
    <title>plyfold</title>
    <meta name=\"description\" content=\"Drop a file.\" />
    <script type=\"module\" src=\"./assets/index-1.js\"></script>
  </head>
</html>
",
    ),
    (
        "site/manifest.webmanifest",
        "{ \"name\": \"plyfold\", \"short_name\": \"plyfold\", \"description\": \"x\", \"scope\": \"./\" }",
    ),
    ("site/assets/index-1.js", "one"),
    ("site/icon.svg", "<svg/>"),
    ("site/_headers", "/*\n  X-Content-Type-Options: nosniff\n  Content-Security-Policy: default-src 'self'\n"),
    (
        "site/sw.js",
        "(function(){var b=`0123456789ab`,f=[\
         [`./`,`sha256-GDXuxdzfDwXUInlQIWq1tcqy6Rk2218ZgXF+brnI9k4=`],\
         [`manifest.webmanifest`,`sha256-6VzxhhXBt/ugxu2muFS+9o3SpDz7WWuPRE0ZUOIfa9E=`],\
         [`assets/index-1.js`,`sha256-dpLDrTVAu4A8Ags67mbNiIcSMjTqDG5xQ8Ct1z/0Me0=`],\
         [`icon.svg`,`sha256-1NxWZpFDA08xqjCWNdQRPZrXagKxc52iLJZe0gSb6eY=`],\
         ],l=[];go(b,f,l)})();",
    ),
];

/// Adds the site to the files of a scene, in the folder `site`.
pub fn add_site(files: &mut Files) {
    files.extend(FILES.iter().map(|(name, text)| (Path::new(name).to_path_buf(), text.as_bytes().to_vec())));
}
