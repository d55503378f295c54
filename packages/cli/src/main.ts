console.log("dosimeter");
