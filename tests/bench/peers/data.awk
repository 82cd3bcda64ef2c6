# Writes the data of peers.sh into the folder `to`: `rows` flights as CSV and JSON Lines, requests of users as CSV, an
# access log, examples as libsvm and Vowpal Wabbit text, and words. The seed is 1, so the bytes are the same everywhere.
function random() { return (seed = seed * 16807 % 2147483647) / 2147483647 }
function skewed(n) { return int(n * random() * random()) } # small numbers come most often

function flights(    i, hour, from, dest, delay, distance, csv, json, object) {
    object = "{\"time\":%d,\"delay\":%d,\"distance\":%d,\"origin\":\"A%02d\",\"destination\":\"B%02d\",\"hour\":%d}\n"
    csv = to "/flights.csv"; json = to "/flights.jsonl"
    print "time,delay,distance,origin,destination,hour" >csv
    for (i = 0; i < rows; i++) {
        hour = int(24 * random()); from = skewed(60); dest = skewed(60)
        delay = int(random() * random() * 80) - 8
        delay += (from % 7 == 3) * 20 + (hour > 18) * 12 + (from == 5 && dest == 9) * 50
        distance = 100 + (from * 61 + dest * 37) % 2400
        printf "%d,%d,%d,A%02d,B%02d,%d\n", 1700000000 + i, delay, distance, from, dest, hour >csv
        printf object, 1700000000 + i, delay, distance, from, dest, hour >json
    }
    close(csv); close(json)
}

# Flights again, whose origins and destinations have up to 2 M names.
function names(    i, from, dest, delay, csv) {
    csv = to "/names.csv"
    print "delay,origin,destination,hour" >csv
    for (i = 0; i < rows; i++) {
        from = int(2000000 * random() * random() * random()); dest = int(2000000 * random() * random() * random())
        delay = int(random() * random() * 100) - 8 + (from % 7 == 3) * 20
        printf "%d,A%d,B%d,%d\n", delay, from, dest, int(24 * random()) >csv
    }
    close(csv)
}

# Requests of up to 600,000 users, half of them by few of these.
function users(    i, user, csv) {
    csv = to "/users.csv"
    print "time,user,ms,page,status" >csv
    for (i = 0; i < rows; i++) {
        user = random() < .5 ? int(600000 * random()) : int(600000 * random() ^ 8)
        printf "%d,u%06d,%.2f,", 1700000000 + int(i / 100), user, exp(2 + 3 * random() * random()) >csv
        printf "p%d,%d\n", skewed(1000), random() < .02 ? 500 : 200 >csv
    }
    close(csv)
}

# Flights with numbers that have many values, whose thresholds explain finds by itself.
function trips(    i, hour, from, dest, delay, date, csv) {
    csv = to "/trips.csv"
    print "delay,origin,destination,distance,month,weekday,hour,day" >csv
    for (i = 0; i < rows; i++) {
        hour = 5 + int(19 * (random() + random()) / 2); from = skewed(290); dest = (31 * from + 17 * skewed(25)) % 290
        delay = int(random() * random() * 80) - 8 + (from % 13 == 0) * 20 + (hour > 18) * 12
        date = sprintf("%d,%d", 1 + 12 * random(), 1 + 7 * random())
        printf "%d,A%d,B%d,%d,", delay, from, dest, 60 + (from * 7919 + dest * 104729) % 25000 / 10 >csv
        printf "%s,%d,%d\n", date, hour, 1 + int(31 * random()) >csv
    }
    close(csv)
}

function requests(    i, time, log_file) {
    log_file = to "/access.log"
    for (i = 0; i < rows / 4; i++) {
        time = sprintf("10/Oct/2023:%02d:%02d:%02d +0000", i / 3600 % 24, i / 60 % 60, i % 60)
        printf "10.0.%d.%d - - [%s] ", i % 4, skewed(251), time >log_file
        printf "\"GET /p/%d/x.gif HTTP/1.1\" %d %d ", skewed(1000), random() < .02 ? 503 : 200, skewed(90000) >log_file
        printf "\"http://www.example.com/%d\" \"Mozilla/5.0 (X11; Linux x86_64)\"\n", i % 50 >log_file
    }
    close(log_file)
}

function examples(    i, j, id, margin, libsvm, vw, entries) {
    libsvm = to "/examples.libsvm"; vw = to "/examples.vw"
    for (j = 1; j <= 100000; j++) weight[j] = (random() - .5) * 2
    for (i = 0; i < rows / 20; i++) {
        entries = ""; margin = 0; id = 0
        for (j = 0; j < 30; j++) {
            id += 1 + int(3300 * random() * random() * random() * random())
            margin += weight[id % 100000 + 1]
            entries = entries " " id ":1"
        }
        j = random() * 1.5 < 1 / (1 + exp(-2 * margin)) ? 1 : -1
        print j entries >libsvm
        print j " |" entries >vw
    }
    close(libsvm); close(vw)
}

function words(    i, j, word, line, text) {
    text = to "/words.txt"; word = 0
    for (i = 0; i < rows / 10; i++) {
        line = ""
        for (j = 0; j < 20; j++) {
            word = random() < .3 ? (word * 31 + 7) % 2000 : int(2000 * (random() * random()) ^ 2)
            line = line (j ? " " : "") "w" word
        }
        print line >text
    }
    close(text)
}

BEGIN { seed = 1; flights(); requests(); examples(); words(); names(); users(); trips() }
